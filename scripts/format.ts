import { runAttached } from "./shared/run-command.ts";
import { noOptions, runScript } from "./shared/script.ts";
import { formatSources } from "./shared/tools.ts";

await runScript(
  {
    usage: "npm run format",
    summary: "Formats src, test, scripts and bench with oxfmt.",
    options: noOptions,
  },
  () => runAttached(formatSources),
);
