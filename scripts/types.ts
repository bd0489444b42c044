import { quietWrangler, runAttached } from "./shared/run-command.ts";
import { noOptions, runScript } from "./shared/script.ts";
import { generateBindingTypes } from "./shared/tools.ts";

await runScript(
  {
    usage: "npm run types",
    summary: "Generates the types of the Worker's bindings from wrangler.toml, into src/worker/env.d.ts.",
    options: noOptions,
  },
  () => runAttached(generateBindingTypes, quietWrangler),
);
