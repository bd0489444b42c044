/// <reference types="vite/types/importMeta.d.ts" />
// The Worker loads some modules when they are first needed. In a test, the first import of a module fetches it, in the context of the
// request or object that needs it. If that ends meanwhile, as when a test deletes all objects, the import never ends, and everybody
// else who imports the module waits for it. So they are loaded before the tests.
import.meta.glob("../../../src/worker/{artifacts,http,objects,operations,routes,schedule}/**/*.ts", {
  eager: true,
});
