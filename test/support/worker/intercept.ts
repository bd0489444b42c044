import { onTestFinished } from "vitest";

type Method = (...values: unknown[]) => unknown;

/**
 * Puts another method in the place of one, wherever it is called from. It ends with the test.
 * @param owner the object that holds the method: for methods of a class, its prototype
 * @param around what is called instead; `call` goes on to the method itself
 * @returns ends it earlier
 */
export function aroundCalls(
  owner: object,
  method: string,
  around: (call: () => unknown, values: unknown[]) => unknown,
): () => void {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== "function") throw new Error(`there is no method ${method}`);
  const put = (value: unknown) =>
    Object.defineProperty(owner, method, { value, configurable: true, writable: true });
  const instead: Method = function (this: unknown, ...values) {
    return around((): unknown => Reflect.apply(original, this, values), values);
  };
  put(instead);
  const stop = () => void put(original);
  onTestFinished(stop);
  return stop;
}

type FailureOptions = {
  readonly times?: number;
  readonly when?: (values: readonly unknown[]) => boolean;
};

/**
 * Makes a method fail, wherever it is called: a part of the platform that is away, which the runtime cannot be asked
 * for. It ends with the test.
 * @param times how often, from now on
 * @param when with which values it fails
 * @returns how often it has failed, and how to end it earlier
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

/** Tells a listener of each call of a method, wherever it comes from; the call itself goes on. As `aroundCalls`. */
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
