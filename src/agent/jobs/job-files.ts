import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { CommandOutputLine } from "#contract/endpoints/commands/schemas.ts";

/** The files of a job. `State`: what its note says. */
export type JobFiles<State> = {
  readonly folder: ProjectFolder;
  /** The path of its output. It identifies the job too. */
  readonly output: string;
  readonly maxOutputBytes: number;
  /** @returns `null` if there is no note */
  read(): State | null;
  /** Survives a power cut. @throws when the disk is full */
  write(state: State): Promise<void>;
  /** Deletes older ones. Never throws. */
  prune(): void;
};

/** A part of an output, and the state of the job before it was read. */
export type JobReading<State> = {
  readonly state: State;
  readonly lines: CommandOutputLine[];
  readonly next_offset: number;
  readonly complete: boolean;
};
