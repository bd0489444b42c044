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
