import type { OperationName } from "#contract/endpoints/endpoints.ts";
import type { Routes } from "#worker/http/routes.ts";

/**
 * Routes of a module that is loaded when the first of them is called. The bundle has a file of its own for the module
 * and for what only it imports, such as the schemas of its endpoints, so the start of the Worker does not evaluate them.
 *
 * @param names the operations of the module
 * @param load a dynamic import of the module
 */
export function loadWhenCalled<Names extends OperationName, Caller>(
  names: readonly Names[],
  load: () => Promise<Routes<Names, Caller>>,
): Routes<Names, Caller>;
export function loadWhenCalled(
  names: readonly string[],
  load: () => Promise<Readonly<Record<string, () => unknown>>>,
): Readonly<Record<string, () => unknown>> {
  // The routes are kept and not the promise: workerd refuses to await a promise of another request.
  let loaded: Readonly<Record<string, () => unknown>> | null = null;
  const find = async (name: string) => {
    loaded ??= await load();
    const route = loaded[name];
    if (route === undefined) throw new Error(`there is no route for ${name}`);
    return await route();
  };
  return Object.fromEntries(names.map((name) => [name, () => find(name)]));
}
