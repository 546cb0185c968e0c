"""The wheel's tag: its files are a platform's, and any Python 3 can load them, as ctypes does.  scripts/wheel says which platform."""
import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + os.environ["LOCKSTEP_PLATFORM"]
