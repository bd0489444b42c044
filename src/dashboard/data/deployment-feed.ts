import type { ClientResult } from "#client/send.ts";
import type { Deployment, Deployments, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { Resource } from "#dashboard/data/resource.ts";
import { Signal } from "#dashboard/data/signal.ts";

const OFTEN_MS = 2_000;
const NOW_AND_THEN_MS = 5_000;

export type Filters = { readonly status: DeploymentStatus | ""; readonly branch: string };

export type Feed = {
  /** Newest first, without a gap. */
  readonly rows: readonly Deployment[];
  /** Nothing is older than the last of them. */
  readonly isWhole: boolean;
  readonly isLoadingMore: boolean;
  /** Why older ones could not be read. */
  readonly problem: Problem | null;
};

/** Where deployments are read. */
export type DeploymentSource = {
  /** A page of those that the filters let through, newest first. @param cursor null: the newest */
  readonly list: (filters: Filters, cursor: string | null) => Promise<ClientResult<Deployments>>;
  readonly read: (id: DeploymentId) => Promise<ClientResult<Deployment>>;
};

/**
 * A project's deployments, as far down as somebody has scrolled. The newest page is read again and again; what is below
 * it only changes where it was not at its end, and is read singly then.
 */
export class DeploymentFeed {
  readonly feed = new Signal<Feed>({ rows: [], isWhole: false, isLoadingMore: false, problem: null });
  readonly newest: Resource<Deployments>;
  readonly #source: DeploymentSource;
  readonly #filters: Filters;
  #cursor: string | null = null;

  constructor(source: DeploymentSource, filters: Filters) {
    this.#source = source;
    this.#filters = filters;
    this.newest = new Resource(
      () => this.#readNewest(),
      ({ deployments }) =>
        deployments.some(({ status }) => status === "building") ? OFTEN_MS : NOW_AND_THEN_MS,
    );
  }

  /** Reads the next older page. Safe to ask for at any time. */
  readonly loadMore = async (): Promise<void> => {
    const { isWhole, isLoadingMore } = this.feed.value;
    if (isWhole || isLoadingMore || this.#cursor === null) return;
    this.#change({ isLoadingMore: true, problem: null });
    const cursor = this.#cursor;
    const page = await this.#source.list(this.#filters, cursor);
    if (!page.ok) return this.#change({ isLoadingMore: false, problem: page.problem });
    if (cursor !== this.#cursor) {
      // The list has begun anew meanwhile: there would be a gap before what was asked for.
      this.#change({ isLoadingMore: false });
      return await this.loadMore();
    }
    this.#cursor = page.value.next_cursor;
    this.#change({
      rows: joined(this.feed.value.rows, page.value.deployments),
      isWhole: this.#cursor === null,
      isLoadingMore: false,
    });
  };

  /** Leaves out one that is no more. */
  remove(id: DeploymentId): void {
    this.#change({ rows: this.feed.value.rows.filter((row) => row.id !== id) });
  }

  async #readNewest(): Promise<ClientResult<Deployments>> {
    const page = await this.#source.list(this.#filters, null);
    if (!page.ok) return page;
    const { deployments, next_cursor: cursor } = page.value;
    const below = () => (cursor === null ? [] : rowsBelow(deployments, this.feed.value.rows));
    const renewed = await this.#renewed(below());
    // Looked at again: older ones may have come meanwhile.
    const known = below();
    const isContinued = known.length > 0;
    if (!isContinued) this.#cursor = cursor;
    const isWhole = isContinued ? this.feed.value.isWhole : cursor === null;
    const rows = known.flatMap((row) => renewed.get(row.id) ?? (renewed.has(row.id) ? [] : row));
    this.#change({ rows: [...deployments, ...rows], isWhole });
    return page;
  }

  /** Older rows that can still change, as they are now; null: not in this list any more. */
  async #renewed(rows: readonly Deployment[]): Promise<ReadonlyMap<DeploymentId, Deployment | null>> {
    const changeable = rows.filter(({ status }) => status === "building" || status === "live");
    const renewed = new Map<DeploymentId, Deployment | null>();
    await Promise.all(
      changeable.map(async (row) => {
        const read = await this.#source.read(row.id);
        if (read.ok) renewed.set(row.id, this.#fits(read.value) ? read.value : null);
        else if (read.problem.status === 404) renewed.set(row.id, null);
      }),
    );
    return renewed;
  }

  #fits({ status }: Deployment): boolean {
    return this.#filters.status === "" || this.#filters.status === status;
  }

  #change(changes: Partial<Feed>): void {
    this.feed.set({ ...this.feed.value, ...changes });
  }
}

/**
 * What is known below a newest page. Ids rise with time: what is older than the page's last one is not on it, and
 * everything else is. Nothing where more has come since than one page holds: there would be a gap.
 */
function rowsBelow(page: readonly Deployment[], known: readonly Deployment[]): readonly Deployment[] {
  const last = page.at(-1);
  const [first] = known;
  if (last === undefined || first === undefined || first.id < last.id) return [];
  return known.filter(({ id }) => id < last.id);
}

/** Older rows below newer ones: a row may have come twice while the list was read. */
function joined(rows: readonly Deployment[], older: readonly Deployment[]): Deployment[] {
  const last = rows.at(-1);
  return [...rows, ...older.filter(({ id }) => last === undefined || id < last.id)];
}
