import { durationText } from "#contract/lib/duration-text.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { createBuildLog } from "#cli/builds/build-log.ts";
import { interruptedOr } from "#cli/builds/interrupted-or.ts";
import { type LocalBuild, prepareBuild, sourceOptions, sourceWords } from "#cli/builds/prepare-build.ts";
import { readBuildVariables } from "#cli/builds/read-build-variables.ts";
import { type BuildEnd, runBuild } from "#cli/builds/run-build.ts";
import { type Outcome, stop } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { buildDocument } from "#cli/views/build-facts.ts";
import { warningsOption } from "#cli/views/log-printer.ts";
import { stageTimesText } from "#cli/views/deployment-text.ts";
import { printFailure } from "#cli/views/print-failure.ts";

export const build = defineCommand({
  name: "build",
  summary: "Build this repository on this machine, as a deployment would",
  details: [
    "Runs the install and the build command of a deployment in a temporary copy of the last commit, with the same environment, time limits and checks, and prints a failure as a deployment does. The copy is deleted at the end; --keep leaves it.",
    "If you are signed in, the settings and plain variables of the project that deploys this repository are used, as in a deployment. Secrets are not: only the server can open them. No network is needed otherwise, except by the commands themselves.",
    "The commands run as you, and can do what you can do. The image of a Dockerfile is built by podman or docker, and stays.",
  ],
  words: sourceWords,
  options: {
    ...sourceOptions,
    "env-file": { kind: "text", value: "PATH", help: "Variables of the build, in a .env file" },
    keep: { kind: "flag", help: "Keep the copy, and print its folder" },
    ...warningsOption,
  },
  examples: ["build", "build apps/web --keep", "build --project shop --env-file .env.build"],
  async run(context, { words, options }) {
    const { output } = context;
    if (process.platform === "win32")
      return stop("usage", "The commands of a build need sh, which Windows lacks. Run gantry build in WSL.");
    const prepared = await prepareBuild(context, words.folder, options, { withVariables: true });
    if (!prepared.ok) return interruptedOr(context, prepared);
    if (!prepared.value.ok) {
      const { failure } = prepared.value;
      return printEnd(output, { kind: "failed", failure, times: [] }, null);
    }
    const local = prepared.value.value;
    const variables = await readBuildVariables(context, local.project, options["env-file"]);
    if (!variables.ok) return variables;
    if (options.keep) local.work?.keep();
    output.json({ type: "started", ...buildDocument(local) });
    const log = createBuildLog(output, local.choice.firstStage, options.warnings);
    const startedAt = performance.now();
    context.signal.addEventListener("abort", () =>
      output.note("Stopping the build. Press Ctrl-C again to end it at once."),
    );
    output.progress.show(() =>
      output.style.dim(`${log.stage}  ${durationText((performance.now() - startedAt) / 1000)}`),
    );
    const ended = await runBuild(context, local, variables.value, log);
    output.progress.hide();
    log.end(ended.kind === "failed" ? ended.failure.stage : null);
    const kept = local.work === null || options.keep ? local : null;
    return printEnd(output, ended, kept, local.choice.image !== null);
  },
});

/**
 * @param kept the build whose files stay
 * @param image whether an image was built
 */
function printEnd(output: Output, end: BuildEnd, kept: LocalBuild | null, image = false): Outcome {
  const { times: stages } = end;
  const folder = kept?.release ?? null;
  const took = stageTimesText(stages);
  const details = output.style.dim(took === null ? "" : ` (${took})`);
  switch (end.kind) {
    case "succeeded":
      output.json({ type: "end", status: "succeeded", failure: null, stages, folder });
      output.line(`${output.style.green("✓")} The build succeeded${details}`);
      if (image) output.line(`  The image is ${end.output}.`);
      else if (kept !== null)
        output.line(
          kept.choice.isPublished
            ? `  ${end.output} would be published.`
            : `  It runs as a server in ${kept.root}.`,
        );
      return { ok: true, exit: "done" };
    case "failed":
      output.json({ type: "end", status: "failed", failure: end.failure, stages, folder });
      printFailure(output, "The build", end.failure, details);
      if (folder !== null) output.line(`  The files are in ${folder}.`);
      else output.note("Pass --keep to look at the files after a failure.");
      return { ok: true, exit: "failed" };
    case "interrupted":
      output.json({ type: "interrupted", folder });
      output.note("The build was interrupted. All its processes have ended.");
      return { ok: true, exit: "interrupted" };
  }
}
