import { describe, expect, it } from "vitest";

import type { Deployment, Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { example } from "#contract/reference/examples.ts";
import { DeploymentFeed } from "#dashboard/data/deployment-feed.ts";
import { deployment } from "./deployment.ts";

const PAGE = 10;

const answer = { ok: true, status: 200, headers: new Headers() } as const;

/** A project with a list of deployments, paged like the API's. */
class Project {
  /** Newest first. */
  rows: Deployment[] = [];
  reads = 0;
  /** Delays of the responses for an older page and for a single deployment. */
  readonly delay = { older: Promise.resolve(), one: Promise.resolve() };
  readonly feed = new DeploymentFeed(
    {
      list: async (_filters, cursor) => {
        const value = this.#page(cursor);
        if (cursor !== null) await this.delay.older;
        return { ...answer, value };
      },
      read: async (id) => {
        this.reads += 1;
        const row = this.rows.find((one) => one.id === id);
        if (row === undefined) throw new Error(`${id} does not exist`);
        await this.delay.one;
        return { ...answer, value: row };
      },
    },
    { status: "", branch: "" },
    ProjectId.parse(example.project),
  );

  add(count: number): void {
    for (let at = 0; at < count; at += 1) this.rows.unshift(deployment(this.rows.length + 1));
  }

  shown(): number[] {
    return this.feed.feed.value.rows.map(({ version }) => version);
  }

  versions(): number[] {
    return this.rows.map(({ version }) => version);
  }

  #page(cursor: string | null): Deployments {
    const older = cursor === null ? this.rows : this.rows.filter(({ id }) => id < cursor);
    const page = older.slice(0, PAGE);
    return {
      deployments: page,
      next_cursor: older.length > PAGE ? (page.at(-1)?.id ?? null) : null,
    };
  }
}

describe("a project's deployments", () => {
  it("are loaded page by page, each once and in order, to the last one", async () => {
    const project = new Project();
    project.add(25);
    await project.feed.newest.reload();
    expect(project.shown()).toHaveLength(PAGE);
    await project.feed.loadMore();
    await project.feed.loadMore();
    expect(project.shown()).toEqual(project.versions());
    expect(project.feed.feed.value.isComplete).toBe(true);
    await project.feed.loadMore();
    expect(project.shown()).toEqual(project.versions());
  });

  it("keep older pages when new deployments start", async () => {
    const project = new Project();
    project.add(25);
    await project.feed.newest.reload();
    await project.feed.loadMore();
    project.add(3);
    await project.feed.newest.reload();
    expect(project.shown()).toEqual(project.versions().slice(0, 23));
    await project.feed.loadMore();
    expect(project.shown()).toEqual(project.versions());
  });

  it("have no gap if more deployments started than a page holds", async () => {
    const project = new Project();
    project.add(15);
    await project.feed.newest.reload();
    await project.feed.loadMore();
    project.add(PAGE + 1);
    await project.feed.newest.reload();
    expect(project.shown()).toEqual(project.versions().slice(0, PAGE));
    expect(project.feed.feed.value.isComplete).toBe(false);
    await project.feed.loadMore();
    await project.feed.loadMore();
    expect(project.shown()).toEqual(project.versions());
  });

  it("are read again below the newest page if they can still change", async () => {
    const project = new Project();
    project.add(5);
    project.rows.unshift(deployment(6, "live"));
    project.rows.unshift(
      ...Array.from({ length: PAGE }, (_, at) => deployment(7 + at, "failed")).toReversed(),
    );
    await project.feed.newest.reload();
    await project.feed.loadMore();
    project.rows = project.rows.map((row) =>
      row.status === "live" ? { ...row, status: "superseded" } : row,
    );
    await project.feed.newest.reload();
    expect(project.reads).toBe(1);
    expect(project.feed.feed.value.rows.some(({ status }) => status === "live")).toBe(false);
    expect(project.shown()).toEqual(project.versions());
  });

  it("keep a page that arrives while older rows are read again", async () => {
    const project = new Project();
    project.add(15);
    project.rows.unshift(deployment(16, "live"));
    project.rows.unshift(
      ...Array.from({ length: PAGE }, (_, at) => deployment(17 + at, "failed")).toReversed(),
    );
    await project.feed.newest.reload();
    await project.feed.loadMore();
    const { promise, resolve } = Promise.withResolvers<void>();
    project.delay.one = promise;
    const reloading = project.feed.newest.reload();
    await expect.poll(() => project.reads).toBe(1);
    await project.feed.loadMore();
    resolve();
    await reloading;
    expect(project.shown()).toEqual(project.versions());
  });

  it("have no gap if an older page arrives after the list was reset", async () => {
    const project = new Project();
    project.add(3 * PAGE);
    await project.feed.newest.reload();
    const { promise, resolve } = Promise.withResolvers<void>();
    project.delay.older = promise;
    const loading = project.feed.loadMore();
    project.add(PAGE + 1);
    await project.feed.newest.reload();
    resolve();
    await loading;
    expect(project.shown()).toEqual(project.versions().slice(0, 2 * PAGE));
  });

  it("leave out a deleted one", async () => {
    const project = new Project();
    project.add(12);
    await project.feed.newest.reload();
    await project.feed.loadMore();
    const [, , , , , , , , , , deleted] = project.rows;
    if (deleted === undefined) throw new Error("there are twelve");
    project.rows = project.rows.filter((row) => row !== deleted);
    project.feed.remove(deleted.id);
    await project.feed.newest.reload();
    expect(project.shown()).toEqual(project.versions());
  });
});
