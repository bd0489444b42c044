import { resolve } from "node:path";
import { parseArgs } from "node:util";

import * as z from "zod";

import { messageOf } from "#contract/lib/message-of.ts";

import { Problem, reportOf } from "./problem.ts";
import { root } from "./root.ts";
import { red } from "./terminal.ts";

/** An npm script. Its usage text and the parser of its command line are both derived from this. */
export type Script<Options extends z.ZodObject> = {
  /** How the script is called, such as `npm start -- [options]`; one call a line. */
  readonly usage: string;
  readonly summary: string;
  /** By their names on the command line. Each is made by `option` or `flag`. */
  readonly options: Options;
};

export const noOptions = z.object({});

/** An option with a value. `placeholder` stands for the value in the usage text. */
export function option<Schema extends z.ZodType>(placeholder: string, help: string, schema: Schema): Schema {
  return schema.meta({ placeholder, help });
}

/** An option without a value; false when it is not passed. */
export function flag(help: string) {
  return z.boolean().default(false).meta({ help });
}

export function wholeNumber(min: number, max: number, what = "a whole number") {
  const isInRange = (text: string) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .refine(isInRange, { error: `must be ${what} from ${min} to ${max}` })
    .transform(Number);
}

/** The folder that npm was called in. Relative paths on a command line are relative to it. */
export const callersFolder = process.env["INIT_CWD"] ?? root;

/** The folder of an installation that `npm start` runs. */
export const home = option(
  "DIR",
  "the folder of the installation; .gantry by default",
  z.string().min(1, "must name a folder").optional().transform(resolveHome),
);

export function resolveHome(given?: string): string {
  return given === undefined ? resolve(root, ".gantry") : resolve(callersFolder, given);
}

/**
 * Runs a script's main function with the options of its command line. Prints the usage text for `--help`.
 * An unknown option, a wrong value or an error ends the process with exit code 1 and a message on stderr.
 */
export async function runScript<Options extends z.ZodObject>(
  script: Script<Options>,
  main: (options: z.output<Options>) => void | Promise<void>,
): Promise<void> {
  const options = readOptions(script);
  try {
    await main(options);
  } catch (error) {
    console.error(red("gantry: ") + reportOf(error));
    process.exit(1);
  }
}

/** The options of this process's command line. Ends the process after `--help` and after a wrong option. */
export function readOptions<Options extends z.ZodObject>(script: Script<Options>): z.output<Options> {
  const argv = process.argv.slice(2);
  printHelp(script, argv);
  try {
    return parseOptions(script.options, argv);
  } catch (error) {
    console.error(`${red("gantry: ")}${messageOf(error)}\n\n${usageText(script)}`);
    process.exit(1);
  }
}

/** Prints the usage text and ends the process, if `--help` is passed. */
export function printHelp(script: Script<z.ZodObject>, argv: readonly string[]): void {
  if (!argv.includes("--help") && !argv.includes("-h")) return;
  console.log(usageText(script));
  process.exit(0);
}

/** @throws Problem, or a TypeError of parseArgs, that names the wrong option */
export function parseOptions<Options extends z.ZodObject>(
  options: Options,
  argv: readonly string[],
): z.output<Options> {
  const { values } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      describe(options).map(({ name, placeholder }) => [
        name,
        { type: placeholder === null ? ("boolean" as const) : ("string" as const) },
      ]),
    ),
  });
  const parsed = options.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const given = values[name];
  throw new Problem(
    given === undefined ? `--${name} is missing.` : `--${name} ${issue?.message}. Got: ${String(given)}`,
  );
}

export function usageText({ usage, summary, options }: Script<z.ZodObject>): string {
  const rows = describe(options).map(({ name, placeholder, help }) => ({
    left: `--${name}${placeholder === null ? "" : ` ${placeholder}`}`,
    help,
  }));
  rows.push({ left: "-h, --help", help: "print this text" });
  const width = Math.max(...rows.map(({ left }) => left.length));
  const indent = `\n${" ".repeat(width + 4)}`;
  return [
    `Usage: ${usage.replaceAll("\n", "\n       ")}`,
    "",
    summary,
    "",
    "Options:",
    ...rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help.replaceAll("\n", indent)}`),
  ].join("\n");
}

const Meta = z.object({ placeholder: z.string().nullable().default(null), help: z.string() });

function describe(options: z.ZodObject): { name: string; placeholder: string | null; help: string }[] {
  return Object.entries(options.shape).map(([name, schema]) => ({
    name,
    ...Meta.parse(schema instanceof z.ZodType ? schema.meta() : undefined),
  }));
}
