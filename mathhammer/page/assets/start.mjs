// Libraries lie in memory where they lay when the page was built if they are loaded in the same order, before anything else.
export const preloaded = (create, libraries, site, folder, then = (module) => module) => ({
  env: { MATHHAMMER_CACHE: "/datasheets", HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
  createPyodideModule: async (settings) => then(await create(Object.assign(settings, {
    dynamicLibraries: libraries,
    locateFile: (name) => `${folder}/${name.startsWith("/") ? name.slice(site.length + 1) : `python_flint.libs/${name}`}`,
  }))),
});
