import { releaseCheckScript } from "./release-check/options.ts";
import { runReleaseCheck } from "./release-check/run-release-check.ts";
import { runScript } from "./shared/script.ts";

await runScript(releaseCheckScript, runReleaseCheck);
