import type { Referred } from "#cli/configuration/schema-parts.ts";

/** The servers and projects of an installation, by their names and IDs. */
export class Names {
  readonly #ids: { readonly [To in Referred]: Map<string, string> };
  readonly #names: { readonly [To in Referred]: Map<string, string> };

  readonly #isOpen: boolean;

  /** @param ids by name */
  constructor(ids: { readonly [To in Referred]: ReadonlyMap<string, string> }, isOpen = false) {
    this.#isOpen = isOpen;
    this.#ids = { server: new Map(ids.server), project: new Map(ids.project) };
    this.#names = { server: inverse(ids.server), project: inverse(ids.project) };
  }

  readonly idOf = (to: Referred, name: string): string | null => {
    if (this.#isOpen && !this.#ids[to].has(name)) this.add(to, name, idForFile(to, this.#ids[to].size));
    return this.#ids[to].get(name) ?? null;
  };

  /** The name; the ID itself if the token cannot read it. */
  readonly nameOf = (to: Referred, id: string): string => this.#names[to].get(id) ?? id;

  all(to: Referred): readonly string[] {
    return [...this.#ids[to].keys()];
  }

  add(to: Referred, name: string, id: string): void {
    this.#ids[to].set(name, id);
    this.#names[to].set(id, name);
  }

  /** The same names, of which some projects have new ones. @param renamed the new names, by the old ones */
  renamed(renamed: ReadonlyMap<string, string>): Names {
    const project = [...this.#ids.project].map(([name, id]) => [renamed.get(name) ?? name, id] as const);
    return new Names({ server: this.#ids.server, project: new Map(project) });
  }

  /** Only some of the projects. */
  withProjects(isKept: (name: string) => boolean): Names {
    const project = [...this.#ids.project].filter(([name]) => isKept(name));
    return new Names({ server: this.#ids.server, project: new Map(project) });
  }

  /**
   * Names for values that are only compared: each has an ID that only stands for it.
   * @param isOpen whether a name that is not listed gets an ID too, when it is asked for
   */
  static forFile(servers: readonly string[], projects: readonly string[], isOpen = false): Names {
    const ids = (to: Referred, names: readonly string[]) =>
      new Map(names.map((name, at) => [name, idForFile(to, at)]));
    return new Names({ server: ids("server", servers), project: ids("project", projects) }, isOpen);
  }
}

function idForFile(to: Referred, at: number): string {
  return `${to === "server" ? "srv" : "proj"}_${String(at).padStart(26, "0")}`;
}

function inverse(ids: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...ids].map(([name, id]) => [id, name]));
}
