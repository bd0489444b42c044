import { onTestFinished } from "vitest";

/**
 * Tells a listener of each call of a method, wherever it comes from; the call itself goes on. It ends with the test.
 * @param owner the object that holds the method: for methods of a class, its prototype
 * @returns ends it earlier
 */
export function onCalls(
  owner: object,
  method: string,
  listener: (values: unknown[], result: unknown) => void,
): () => void {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== "function") throw new Error(`there is no method ${method}`);
  const put = (value: unknown) =>
    Object.defineProperty(owner, method, { value, configurable: true, writable: true });
  put(function (this: unknown, ...values: unknown[]) {
    const result: unknown = Reflect.apply(original, this, values);
    listener(values, result);
    return result;
  });
  const stop = () => void put(original);
  onTestFinished(stop);
  return stop;
}

/**
 * Makes a method fail, wherever it is called: a part of the platform that is away, which the runtime cannot be asked
 * for. It ends with the test.
 * @param times how often, from now on
 * @returns how often it has failed, and how to end it earlier
 */
export function failCalls(
  owner: object,
  method: string,
  { times = Infinity }: { readonly times?: number } = {},
): { count(): number; end(): void } {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== "function") throw new Error(`there is no method ${method}`);
  const put = (value: unknown) =>
    Object.defineProperty(owner, method, { value, configurable: true, writable: true });
  let count = 0;
  put(function (this: unknown, ...values: unknown[]): unknown {
    if (count >= times) return Reflect.apply(original, this, values);
    count += 1;
    return Promise.reject(new Error(`${method} is down`));
  });
  const end = () => void put(original);
  onTestFinished(end);
  return { count: () => count, end };
}
