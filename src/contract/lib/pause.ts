// Every runtime of Gantry has these functions. They are declared here because this folder is compiled with TypeScript's
// own library alone, which has neither.
declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** The part of an AbortSignal that `pause` uses. */
type Signal = {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

/** Waits for a time in milliseconds. Returns early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: Signal): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
