import { countsOf, ruleWarnings } from "#build/site-rules/describe-custom-rules.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { interruptedOr } from "#cli/builds/interrupted-or.ts";
import { localAdvice } from "#cli/builds/local-advice.ts";
import { findLocalSite } from "#cli/builds/local-site.ts";
import { localToolProblems } from "#cli/builds/local-tool-problems.ts";
import { prepareBuild, sourceOptions, sourceWords } from "#cli/builds/prepare-build.ts";
import { requestedTools } from "#cli/builds/requested-tools.ts";
import { done } from "#cli/outcome.ts";
import { printFacts } from "#cli/output/facts.ts";
import { printable } from "#cli/output/printable.ts";
import { buildDocument, buildFacts } from "#cli/views/build-facts.ts";
import { printFailure } from "#cli/views/print-failure.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import { toolTitle } from "#project-files/frameworks/tools/tool.ts";

export const detect = defineCommand({
  name: "detect",
  summary: "Show how a deployment would build this repository, and why",
  details: [
    "Reads the last commit: the framework, the package manager, the commands and the output directory, as a server detects them, the versions of tools that the repository asks for, and which tools this machine lacks. For a site without a build also its redirects and headers, with the lines that are not used, and the scripts that its first page loads and that are missing. Nothing is installed or built. If a deployment would fail at once, says why and what to do, and the exit code is 1.",
    "If you are signed in, the settings of the project that deploys this repository take precedence, as in a deployment. Name the project if there are several. No network is needed otherwise.",
  ],
  words: sourceWords,
  options: sourceOptions,
  examples: ["detect", "detect apps/web --json", "detect --here --no-project"],
  async run(context, { words, options }) {
    const { output, environment } = context;
    const prepared = await prepareBuild(context, words.folder, options, { withVariables: false });
    if (!prepared.ok) return interruptedOr(context, prepared);
    if (!prepared.value.ok) {
      const { failure } = prepared.value;
      output.json({ failure });
      printFailure(output, "The detection", failure, "");
      return { ok: true, exit: "failed" };
    }
    const build = prepared.value.value;
    const tools = build.choice.image === null ? await requestedTools(build) : [];
    const problems = await localToolProblems(environment, build);
    const others = problems.filter(({ kind }) => kind === "other_version").map(({ message }) => message);
    const missing: { readonly message: string; readonly advice: string }[] = [];
    for (const problem of problems)
      if (problem.kind === "missing")
        missing.push({ message: problem.message, advice: await localAdvice(problem) });
    const site = await findLocalSite(build);
    const rules = site?.rules ?? null;
    const parts = site?.missingParts ?? null;
    output.json({
      ...buildDocument(build),
      redirects: rules?.redirects.length ?? null,
      headers: rules?.headers.length ?? null,
      unused_lines: rules?.problems ?? [],
      missing_parts: parts,
      tools: tools.map(({ tool, written, file }) => ({ tool, version: written, file })),
      missing_tools: missing,
      other_versions: others,
    });
    printFacts(output, [
      ...buildFacts(build),
      ["rules", rules === null ? null : countsOf(rules) || null],
      ...[...(rules === null ? [] : ruleWarnings(rules)), ...(parts === null ? [] : [parts])].map(
        (text) => ["warning", printable(text)] as const,
      ),
      ["tools", tools.length === 0 ? null : printable(tools.map(requestText).join(", "))],
      ...missing.map(({ message, advice }) => ["missing", printable(`${message}. ${advice}`)] as const),
      ...others.map((sentence) => ["other version", printable(sentence)] as const),
    ]);
    return build.choice.problem === null ? done : { ok: true, exit: "failed" };
  },
});

function requestText({ tool, written, file }: ToolRequest): string {
  return `${toolTitle(tool)} ${written} (${file})`;
}
