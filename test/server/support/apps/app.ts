/** An app as it is in a repository, and how to see that its release works. */
export type App = {
  readonly framework: string;
  readonly files: Readonly<Record<string, string>>;
  /** Serves the release on $PORT. Runs in the release, as the project's user. Without it: the process of its preset. */
  readonly serve?: string;
  /** What the app needs to start. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What the app answers. */
  readonly pages: Readonly<Record<string, string>>;
};
