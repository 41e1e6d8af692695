// Compile Python with the very Python that will run it, so that the page need not do so at each start.
// node compile.mjs RUNTIME ARCHIVE: the archive's Python is replaced by what it compiles to.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [runtime, archive] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${runtime}/` });
python.FS.writeFile("/tmp/sources.zip", readFileSync(archive));
python.runPython(`
import importlib.util
import marshal
import zipfile

HEADER = importlib.util.MAGIC_NUMBER + bytes(12)

with zipfile.ZipFile("/tmp/sources.zip") as sources, zipfile.ZipFile("/tmp/compiled.zip", "w") as written:
    for name in sources.namelist():
        # Forms of these games take their help from the documentation of their functions.
        level = 1 if name.startswith(("mathhammer/systems/aos/", "mathhammer/systems/t9a/")) else 2
        code = compile(sources.read(name), name, "exec", dont_inherit=True, optimize=level)
        written.writestr(name + "c", HEADER + marshal.dumps(code))
`);
writeFileSync(archive, python.FS.readFile("/tmp/compiled.zip"));
