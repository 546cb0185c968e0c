/* What a result depends on, and in what of it two results differ. */

function moduleRows(module, k) {
  const made = module.compiler ? module.compiler + (module.pinned ? ", pinned PTX" : ", compiled for this run") : module.producer || "not named";
  return [[`PTX ${k + 1}`, module.ptx], ["its kernels", module.kernels.map((kernel) => kernelWords({ kernel })).join(", ")], ["its target", module.target], ["made by", made], ["options", module.compiler_options]];
}

function provenanceOf(result) {
  const p = result.provenance;
  if (!p) return null;
  const settings = Object.entries(p.settings || {}).map(([path, value]) => path + "=" + value).join(", ");
  const rows = [["Lockstep", p.lockstep + (p.commit ? ", commit " + p.commit : "")], ["GPU", result.gpu + (settings ? " with " + settings : "")],
    ...(p.modules || []).flatMap(moduleRows), ...(p.arguments || []).map((text, k) => [`input ${k + 1}`, text])];
  return makeTable([{ title: "what", value: (r) => r[0] }, { title: "value", value: (r) => r[1], kind: "code" }], rows.filter((r) => r[1]), { id: "provenance-table" });
}

function differsOf(comparison) {
  const rows = comparison.differs.map((part) => [part.what + (part.name ? " " + part.name : ""), ...part.values.map((value) => value || "(none)")]);
  const table = makeTable(["what", "before", "after"].map((title, k) => ({ title, value: (r) => r[k], kind: k ? "code" : null })), rows, {});
  return [make("p", { class: "differs" }, comparison.summary), rows.length ? table : ""];
}
