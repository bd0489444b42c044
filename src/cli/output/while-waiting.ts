import { durationText } from "#contract/lib/duration-text.ts";
import type { Output } from "#cli/output/output.ts";

/** A shorter request shows no status line. */
const SLOW_MS = 1_000;

/** Waits for a request. If it takes longer than a second, the status line names the reason. */
export async function whileWaiting<Value>(
  { progress, style }: Pick<Output, "progress" | "style">,
  what: string,
  request: Promise<Value>,
): Promise<Value> {
  const startedAt = performance.now();
  const timer = setTimeout(
    () => progress.show(() => style.dim(`${what}  ${durationText((performance.now() - startedAt) / 1000)}`)),
    SLOW_MS,
  );
  try {
    return await request;
  } finally {
    clearTimeout(timer);
    progress.hide();
  }
}
