# Short ways in.  The build itself is CMakeLists.txt; every target first installs the packages that are missing.

.PHONY: all install wheel packages demo check check-long accept results bench fuzz site format clean

all: packages
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release

# Under PREFIX, and under DESTDIR before that where it is given.
PREFIX = /usr/local
install: all
	@cmake --install build/release --prefix "$(abspath $(PREFIX))"

# What `pip install` takes, in build/wheel.
wheel: all
	@scripts/install-packages --list scripts/packages-wheel
	@scripts/wheel

packages:
	@scripts/install-packages

# What Lockstep does, shown in a minute, by a command of its own in build/demo: the lanes of the whole one take longest to compile.
demo: packages
	@cmake --preset demo --log-level=WARNING >/dev/null
	@cmake --build --preset demo
	@LOCKSTEP=build/demo/lockstep scripts/demo

# Everything that CI checks.
check: packages
	@scripts/install-packages --optional scripts/packages-check
	@scripts/install-packages --optional scripts/packages-wheel
	@scripts/check

# What is too slow for every change: hours.
check-long: packages
	@scripts/check-long

# Takes what the kernel, timing and command tests and the notebook gave, and what docs/divergence*.md draw, as what they are to give; look at the diff before you commit it.
accept: all
	python3 tests/run_kernels.py --accept
	python3 tests/timing.py --accept
	python3 tests/findings.py --accept
	python3 tests/divergence_docs.py --accept
	python3 tests/cli/errors.py --accept
	python3 tests/notebook.py --accept build/release

# Runs the papers' experiments and takes their results as those of docs/results; the same command goes on where it was stopped.  SIZE=paper: days, unless
# OPTIONS="--on slurm ..." gives them to a cluster.  NAMES="bows channels": these alone.
SIZE = small
results: all
	python3 tests/results.py --accept --size $(SIZE) $(NAMES) -- $(OPTIONS)

bench: all
	@bench/run
	@bench/run-opencl

SECONDS_EACH = 300
fuzz: packages
	@scripts/fuzz $(SECONDS_EACH)

# The pages as a web site, in build/site.
site:
	@scripts/install-packages --list scripts/packages-site
	@scripts/site

format:
	@scripts/format

clean:
	rm -rf build
