import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";

import { variable } from "#cli/settings/variable.ts";
import { fileEntry, inertLine, workflowCommand } from "#action/workflow-commands.ts";

/**
 * What the runner of a job gives a step: environment variables, files to write to, and output in which it reads commands.
 * Source: GitHub, "Workflow commands for GitHub Actions" and "Metadata syntax reference".
 */
export class Runner {
  readonly environment: NodeJS.ProcessEnv;
  readonly #print: (line: string) => void;

  constructor(environment: NodeJS.ProcessEnv, print: (line: string) => void) {
    this.environment = environment;
    this.#print = print;
  }

  /** An input of the step; null if it is empty. */
  input(name: string): string | null {
    return this.variable(`INPUT_${name.toUpperCase()}`);
  }

  variable(name: string): string | null {
    return variable(this.environment, name);
  }

  /** What the main part of the step has saved for its last part; null if it has not. */
  state(name: string): string | null {
    return this.variable(`STATE_${name}`);
  }

  async saveState(name: string, value: string): Promise<void> {
    await this.#append("GITHUB_STATE", fileEntry(name, value, randomUUID()));
  }

  async setOutput(name: string, value: string): Promise<void> {
    await this.#append("GITHUB_OUTPUT", fileEntry(name, value, randomUUID()));
  }

  /** Adds to the summary of the job. @param markdown with all values escaped */
  async summarize(markdown: string): Promise<void> {
    await this.#append("GITHUB_STEP_SUMMARY", `${markdown}\n`);
  }

  /** Prints text of any origin. */
  line(text: string): void {
    this.#print(inertLine(text));
  }

  group(title: string): void {
    this.#print(workflowCommand("group", title));
  }

  endGroup(): void {
    this.#print(workflowCommand("endgroup"));
  }

  /** Prints a message that the page of the run shows too. */
  annotate(kind: "error" | "warning" | "notice", message: string): void {
    this.#print(workflowCommand(kind, message, { title: "Gantry" }));
  }

  /** The runner replaces the secret in everything that the job prints after this. */
  mask(secret: string): void {
    this.#print(workflowCommand("add-mask", secret));
  }

  /** The files are missing on runners that know no state or summary. */
  async #append(name: string, text: string): Promise<void> {
    const path = this.variable(name);
    if (path !== null) await appendFile(path, text);
  }
}
