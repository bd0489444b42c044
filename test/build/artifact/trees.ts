import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type PackOptions, packArtifact } from "#build/artifact/pack-artifact.ts";
import type { SealedParts } from "#build/artifact/sealed-parts.ts";
import { unpackArtifact } from "#build/artifact/unpack-artifact.ts";
import { createIdGenerator } from "#contract/ids.ts";

const ids = createIdGenerator({
  now: () => Date.now(),
  randomBytes: (count) => randomBytes(count),
});

/** For what is not stopped. */
export const never: AbortSignal = new AbortController().signal;

/** A folder for a test, with a place for the tree, its parts, and where they are unpacked. */
export class PackingPlace {
  readonly folder = mkdtempSync(join(tmpdir(), "gantry-artifact-"));
  readonly tree = this.#make("tree");
  readonly parts = this.#make("parts");
  readonly into = this.#make("into");
  readonly key = randomBytes(32);
  readonly projectId = ids.project();

  #make(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    return path;
  }

  /** Empties all three folders. */
  clear(): void {
    for (const path of [this.tree, this.parts, this.into]) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async pack(change: Partial<PackOptions> = {}) {
    return await packArtifact({
      ...{ root: this.tree, folder: this.parts, key: this.key, projectId: this.projectId, signal: never },
      ...{ leavesOut: () => false, commit: null, release: null, home: null },
      beforePart: async () => undefined,
      onProgress: () => undefined,
      ...change,
    });
  }

  async unpack(
    parts: Pick<SealedParts, "parts">,
    change: { readonly key?: Buffer; readonly projectId?: PackOptions["projectId"] } = {},
  ) {
    const { into, key, projectId } = this;
    return await unpackArtifact(this.parts, parts, {
      ...{ into, key, projectId, signal: never, check: async () => undefined },
      ...change,
    });
  }
}

/** Everything about a tree that an archive keeps, in the order of the paths. */
export function describeTree(root: string): readonly string[] {
  const lines: string[] = [];
  const files = new Map<string, string>();
  const visit = (folder: Buffer, path: Buffer): void => {
    const names = readdirSync(folder, { encoding: "buffer" }).toSorted((a, b) => a.compare(b));
    for (const name of names) {
      const place = Buffer.concat([folder, Buffer.from("/"), name]);
      const inner = Buffer.concat([path, Buffer.from("/"), name]);
      const found = lstatSync(place);
      const shown = inner.toString("latin1");
      const mode = (found.mode & 0o777).toString(8);
      if (found.isSymbolicLink()) {
        lines.push(`${shown} -> ${readlinkSync(place, { encoding: "buffer" }).toString("latin1")}`);
      } else if (found.isDirectory()) {
        lines.push(`${shown}/ ${mode}`);
        visit(place, inner);
      } else {
        const first = files.get(String(found.ino));
        files.set(String(found.ino), first ?? shown);
        const hash = createHash("sha1").update(readFileSync(place)).digest("hex");
        const time = Math.floor(found.mtimeMs / 1000);
        lines.push(
          `${shown} ${mode} ${found.size} ${hash} ${time}${first === undefined ? "" : ` is ${first}`}`,
        );
      }
    }
  };
  visit(Buffer.from(root), Buffer.alloc(0));
  return lines;
}
