import { releaseScript } from "./release/options.ts";
import { runRelease } from "./release/run-release.ts";
import { runScript } from "./shared/script.ts";

await runScript(releaseScript, runRelease);
