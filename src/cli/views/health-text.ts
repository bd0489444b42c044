import type { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { printable } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";

/** The health of a project in a few words, such as `degraded: worker 0 of 1`. */
export function healthText({ state, reasons }: ProjectHealth, style: Style): string {
  switch (state) {
    case "ok":
      return style.green("ok");
    case "unknown":
      return style.dim("unknown");
    case "degraded":
      return style.yellow(`degraded: ${reasons.map(({ summary }) => printable(summary)).join(", ")}`);
    default:
      return state;
  }
}
