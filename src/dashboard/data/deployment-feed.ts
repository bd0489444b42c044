import type { ClientResult } from "#client/send.ts";
import type { Deployment, Deployments, DeploymentStatus } from "#contract/deployments.ts";
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
    const page = await this.#source.list(this.#filters, this.#cursor);
    if (!page.ok) return this.#change({ isLoadingMore: false, problem: page.problem });
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
    const below = cursor === null ? [] : rowsBelow(deployments, this.feed.value.rows);
    const isContinued = below.length > 0;
    if (!isContinued) this.#cursor = cursor;
    const isWhole = isContinued ? this.feed.value.isWhole : cursor === null;
    this.#change({ rows: [...deployments, ...(await this.#renewed(below))], isWhole });
    return page;
  }

  /** Of older rows, those that can still change. */
  async #renewed(rows: readonly Deployment[]): Promise<Deployment[]> {
    const renewed = await Promise.all(
      rows.map(async (row) => {
        if (row.status !== "building" && row.status !== "live") return row;
        const read = await this.#source.read(row.id);
        if (!read.ok) return read.problem.status === 404 ? null : row;
        return this.#fits(read.value) ? read.value : null;
      }),
    );
    return renewed.filter((row) => row !== null);
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
