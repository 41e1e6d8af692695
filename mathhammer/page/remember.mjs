// Compile Python with the very Python that will run it, start it, import the calculator and write down its memory: a page starts there.
// node remember.mjs WORK SITE: WORK holds the runtime, and in "site" what Python finds in SITE.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { preloaded } from "./assets/start.mjs";

const [work, site] = process.argv.slice(2);
process.on("uncaughtException", (error) => { console.error(error.message); process.exit(1); });
// Not every browser lets Python call functions of C directly; a memory that does not is right for all.
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "iPhone" } });
const { loadPyodide } = await import(pathToFileURL(`${work}/pyodide.mjs`).href);
const { default: create } = await import(pathToFileURL(`${work}/pyodide.asm.mjs`).href);

async function started(options) {
  const python = await loadPyodide({ indexURL: `${work}/`, ...options });
  python.mountNodeFS(site, `${work}/site`);
  return python;
}

const first = await started({});
first.FS.writeFile("/tmp/standard.zip", readFileSync(`${work}/python_stdlib.zip`));
const libraries = JSON.parse(first.runPython(`
import importlib.util, json, marshal, os, sys, zipfile
from pathlib import Path

SITE, NOT_LOADED = Path("${site}"), {"_pyrepl", "ensurepip", "multiprocessing", "pydoc_data", "unittest", "wsgiref", "xmlrpc"}


def compiled(name, source):
    # Forms of these games take their help from the documentation of their functions.
    level = 1 if name.startswith(("mathhammer/systems/aos/", "mathhammer/systems/t9a/")) else 2
    code = compile(source, name, "exec", dont_inherit=True, optimize=level)
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def write(left_out=()):
    with zipfile.ZipFile("/tmp/standard.zip") as read, zipfile.ZipFile("/tmp/written.zip", "w", 8, compresslevel=9) as written:
        for name in sorted({*read.namelist()} - {*left_out}):
            if not name.endswith("/") and name.split("/")[0] not in NOT_LOADED:
                content = read.read(name)
                written.writestr(*((name + "c", compiled(name, content)) if name.endswith(".py") else (name, content)))
    os.replace("/tmp/written.zip", "/tmp/standard.zip")


write()
for path in SITE.rglob("*.py"):
    path.with_suffix(".pyc").write_bytes(compiled(str(path.relative_to(SITE)), path.read_bytes()))
    path.unlink()
import flint

json.dumps([file for each in sys.modules.values() if (file := getattr(each, "__file__", None) or "").endswith(".so")])
`));
const keep = () => writeFileSync(`${work}/python_stdlib.zip`, first.FS.readFile("/tmp/standard.zip"));
keep();

const python = await started({ _makeSnapshot: true, ...preloaded(create, libraries, site, `${work}/site`) });
first.globals.set("loaded", python.runPython(`
import gc, json, sys, zipimport
from importlib import import_module
from pathlib import Path
from mathhammer import wh40k
from mathhammer.page.requests import answer

for path in sorted(Path("${site}").glob("mathhammer/**/*.pyc")):
    try:
        import_module(".".join(path.relative_to("${site}").with_suffix("").parts).removesuffix(".__init__"))
    except ModuleNotFoundError as error:
        if error.name not in {"mathhammer.cli", "numpy", "scipy", "sympy", "click", "matplotlib"}:
            raise
for game in ("40k", "aos", "t9a", "tc"):
    answer(json.dumps({"kind": "form", "game": game}))
text = wh40k.attack("10x Rifle: A2 BS3+ S4 AP-1 D1", "MEQ", exact=True).to_text()
found = json.loads(answer(json.dumps({"kind": "text", "text": text})))
if "error" in found:
    raise ValueError(found["error"])
del text, found, game, path
gc.collect()
sys.path_importer_cache.clear()
zipimport._zip_directory_cache.clear()
json.dumps([file for each in sys.modules.values() if (file := getattr(each, "__file__", None))])
`));
writeFileSync(`${work}/site/memory`, python.makeMemorySnapshot());
writeFileSync(`${work}/site/libraries.json`, JSON.stringify(libraries));
// What is in the memory need not be sent.
first.runPython(`
loaded = json.loads(loaded)
for path in SITE.rglob("*.*"):
    unused = path.suffix == ".so" and path.parent.name != "python_flint.libs" and str(path) not in ${JSON.stringify(libraries)}
    if unused or path.suffix == ".pyc" and str(path) in loaded:
        path.unlink()
write([file.removeprefix("/lib/python314.zip/") for file in loaded])
`);
keep();
