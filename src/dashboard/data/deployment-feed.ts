import type { ClientResult } from "#client/send.ts";
import type { Deployment, Deployments, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { FAST_POLL_MS, Resource } from "#dashboard/data/resource.ts";
import { Signal } from "#dashboard/data/signal.ts";

const FEED_POLL_MS = 5_000;

export type Filters = { readonly status: DeploymentStatus | ""; readonly branch: string };

export type Feed = {
  /** Newest first, without a gap. */
  readonly rows: readonly Deployment[];
  /** All older deployments are loaded. */
  readonly isComplete: boolean;
  readonly isLoadingMore: boolean;
  /** Why loading older deployments failed. */
  readonly problem: Problem | null;
};

/** The requests that read deployments. */
export type DeploymentSource = {
  /** A page of matching deployments, newest first. @param cursor null for the newest page */
  readonly list: (filters: Filters, cursor: string | null) => Promise<ClientResult<Deployments>>;
  readonly read: (id: DeploymentId) => Promise<ClientResult<Deployment>>;
};

/**
 * A project's deployments, as far as the user has scrolled. The newest page is polled. Of the older rows, only rows
 * that can still change (building or live) are read again, one by one.
 */
export class DeploymentFeed {
  readonly feed = new Signal<Feed>({ rows: [], isComplete: false, isLoadingMore: false, problem: null });
  readonly newest: Resource<Deployments>;
  readonly #source: DeploymentSource;
  readonly #filters: Filters;
  #cursor: string | null = null;

  /** @param projectId of these deployments */
  constructor(source: DeploymentSource, filters: Filters, projectId: ProjectId) {
    this.#source = source;
    this.#filters = filters;
    this.newest = new Resource(
      () => this.#readNewest(),
      ({ deployments }) =>
        deployments.some(({ status }) => status === "building") ? FAST_POLL_MS : FEED_POLL_MS,
      { shows: "deployment", key: projectId },
    );
  }

  /** Loads the next older page. Does nothing while a page is loading or when all pages are loaded. */
  readonly loadMore = async (): Promise<void> => {
    const { isComplete, isLoadingMore } = this.feed.value;
    if (isComplete || isLoadingMore || this.#cursor === null) return;
    this.#change({ isLoadingMore: true, problem: null });
    const cursor = this.#cursor;
    const page = await this.#source.list(this.#filters, cursor);
    if (!page.ok) return this.#change({ isLoadingMore: false, problem: page.problem });
    if (cursor !== this.#cursor) {
      // The list was reset in the meantime. Adding this page would leave a gap.
      this.#change({ isLoadingMore: false });
      return await this.loadMore();
    }
    this.#cursor = page.value.next_cursor;
    this.#change({
      rows: joined(this.feed.value.rows, page.value.deployments),
      isComplete: this.#cursor === null,
      isLoadingMore: false,
    });
  };

  /** Removes a deleted deployment. */
  remove(id: DeploymentId): void {
    this.#change({ rows: this.feed.value.rows.filter((row) => row.id !== id) });
  }

  async #readNewest(): Promise<ClientResult<Deployments>> {
    const page = await this.#source.list(this.#filters, null);
    if (!page.ok) return page;
    const { deployments, next_cursor: cursor } = page.value;
    const below = () => (cursor === null ? [] : rowsBelow(deployments, this.feed.value.rows));
    const refreshed = await this.#refreshed(below());
    // Computed again: loadMore may have added rows in the meantime.
    const known = below();
    const isContinued = known.length > 0;
    if (!isContinued) this.#cursor = cursor;
    const isComplete = isContinued ? this.feed.value.isComplete : cursor === null;
    const rows = known.flatMap((row) => refreshed.get(row.id) ?? (refreshed.has(row.id) ? [] : row));
    this.#change({ rows: [...deployments, ...rows], isComplete });
    return page;
  }

  /**
   * The current state of older rows that can still change; null for a deployment that no longer belongs in the list.
   */
  async #refreshed(rows: readonly Deployment[]): Promise<ReadonlyMap<DeploymentId, Deployment | null>> {
    const changeable = rows.filter(({ status }) => status === "building" || status === "live");
    const refreshed = new Map<DeploymentId, Deployment | null>();
    await Promise.all(
      changeable.map(async (row) => {
        const read = await this.#source.read(row.id);
        if (read.ok) refreshed.set(row.id, this.#matches(read.value) ? read.value : null);
        else if (read.problem.status === 404) refreshed.set(row.id, null);
      }),
    );
    return refreshed;
  }

  #matches({ status }: Deployment): boolean {
    return this.#filters.status === "" || this.#filters.status === status;
  }

  #change(changes: Partial<Feed>): void {
    this.feed.set({ ...this.feed.value, ...changes });
  }
}

/**
 * The known rows that are older than the newest page. Ids rise with time. Empty if more deployments were started
 * since than one page holds, because there would be a gap between the two.
 */
function rowsBelow(page: readonly Deployment[], known: readonly Deployment[]): readonly Deployment[] {
  const last = page.at(-1);
  const [first] = known;
  if (last === undefined || first === undefined || first.id < last.id) return [];
  return known.filter(({ id }) => id < last.id);
}

/** Appends older rows, without rows that are in the list already. */
function joined(rows: readonly Deployment[], older: readonly Deployment[]): Deployment[] {
  const last = rows.at(-1);
  return [...rows, ...older.filter(({ id }) => last === undefined || id < last.id)];
}
