import { mapValues } from "#contract/lib/map-values.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import type { OperationName } from "#contract/endpoints/endpoints.ts";
import type { Handler, Handlers } from "#worker/http/handler.ts";

/**
 * Handlers of a module that is loaded when the first of them is called. The bundle has a file of its own for the module
 * and for what only it imports, so the start of the Worker does not evaluate them.
 *
 * @param rows the endpoints of the handlers
 * @param load a dynamic import of the module
 */
export function loadWhenCalled<Names extends OperationName, Caller>(
  rows: Readonly<Record<Names, Endpoint>>,
  load: () => Promise<Handlers<Names, Caller>>,
): Handlers<Names, Caller>;
export function loadWhenCalled(
  rows: Readonly<Record<string, Endpoint>>,
  load: () => Promise<Readonly<Record<string, Handler<Endpoint, unknown>>>>,
): Readonly<Record<string, Handler<Endpoint, unknown>>> {
  // The handlers are kept and not the promise: workerd refuses to await a promise of another request.
  let loaded: Readonly<Record<string, Handler<Endpoint, unknown>>> | null = null;
  return mapValues(rows, (_, name) => async (caller, input) => {
    loaded ??= await load();
    const handler = loaded[name];
    if (handler === undefined) throw new Error(`there is no handler for ${name}`);
    return await handler(caller, input);
  });
}
