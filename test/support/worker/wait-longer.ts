import { vi } from "vitest";

/** vitest's own default of 1 s passes on a machine that is busy with other tests. */
const TIMEOUT_MS = 20_000;

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options = {}) => waitFor(callback, withTimeout(options));
vi.waitUntil = (callback, options = {}) => waitUntil(callback, withTimeout(options));

function withTimeout<Options extends object>(
  options: number | Options,
): number | ({ timeout: number } & Options) {
  return typeof options === "number" ? options : { timeout: TIMEOUT_MS, ...options };
}
