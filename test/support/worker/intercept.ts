import { onTestFinished } from "vitest";

type Method = (...values: unknown[]) => unknown;

/**
 * Replaces a method for all callers until the test ends.
 * @param owner the object with the method; for a class, its prototype
 * @param around called instead; `call` calls the original method
 * @returns a function that restores the method earlier
 */
export function aroundCalls(
  owner: object,
  method: string,
  around: (call: () => unknown, values: unknown[]) => unknown,
): () => void {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== "function") throw new Error(`there is no method ${method}`);
  const isInherited = !Object.hasOwn(owner, method);
  const put = (value: unknown) =>
    Object.defineProperty(owner, method, { value, configurable: true, writable: true });
  const instead: Method = function (this: unknown, ...values) {
    return around((): unknown => Reflect.apply(original, this, values), values);
  };
  put(instead);
  const stop = () => void (isInherited ? Reflect.deleteProperty(owner, method) : put(original));
  onTestFinished(stop);
  return stop;
}

type FailureOptions = {
  readonly times?: number;
  readonly when?: (values: readonly unknown[]) => boolean;
};

/**
 * Makes a method fail for all callers until the test ends, like an outage of a part of the platform, which the runtime
 * cannot produce on request.
 * @param times how many calls fail
 * @param when which calls fail, by their arguments
 * @returns how many calls failed, and a function that ends this earlier
 */
export function failCalls(
  owner: object,
  method: string,
  { times = Infinity, when = () => true }: FailureOptions = {},
): { count(): number; end(): void } {
  let count = 0;
  const end = aroundCalls(owner, method, (call, values) => {
    if (count >= times || !when(values)) return call();
    count += 1;
    return Promise.reject(new Error(`${method} is down`));
  });
  return { count: () => count, end };
}

/** Calls a listener after each call of a method, for all callers until the test ends. */
export function onCalls(
  owner: object,
  method: string,
  listener: (values: unknown[], result: unknown) => void,
): () => void {
  return aroundCalls(owner, method, (call, values) => {
    const result = call();
    listener(values, result);
    return result;
  });
}
