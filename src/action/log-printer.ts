import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { startOfShown } from "#contract/log-text.ts";
import { stageLabels } from "#contract/stages.ts";
import type { Runner } from "#action/runner.ts";

/** The titles of groups. Gantry writes the other lines. */
const titles: Readonly<Record<string, string>> = stageLabels;

/** Prints a log in a group for each stage. The stages of several servers overlap, so their lines begin with the server. */
export class LogPrinter {
  readonly #runner: Runner;
  readonly #nameOf: (server: ServerId) => string;
  #stage: string | null = null;

  constructor(runner: Runner, nameOf: (server: ServerId) => string) {
    this.#runner = runner;
    this.#nameOf = nameOf;
  }

  print({ stage, message, server_id: server }: LogLine): void {
    const text = message.slice(startOfShown(message));
    if (server !== undefined) {
      this.end();
      return this.#runner.line(`${this.#nameOf(server)} ${stage}: ${text}`);
    }
    if (stage !== this.#stage) {
      this.end();
      const title = titles[stage];
      if (title !== undefined) {
        this.#runner.group(title);
        this.#stage = stage;
      }
    }
    this.#runner.line(text);
  }

  /** Ends the group. */
  end(): void {
    if (this.#stage !== null) this.#runner.endGroup();
    this.#stage = null;
  }
}
