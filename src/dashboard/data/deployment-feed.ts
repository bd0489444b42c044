import type { ClientResult } from "#client/send.ts";
import type { Deployment, Deployments, DeploymentStatus } from "#contract/deployments.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { api } from "#dashboard/data/api.ts";
import { Resource } from "#dashboard/data/resource.ts";
import { Signal } from "#dashboard/data/signal.ts";

const PAGE_SIZE = 100;
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

/**
 * A project's deployments, as far down as somebody has scrolled. The newest page is read again and again; what is below
 * it only changes where it was not at its end, and is read singly then.
 */
export class DeploymentFeed {
  readonly feed = new Signal<Feed>({ rows: [], isWhole: false, isLoadingMore: false, problem: null });
  readonly newest: Resource<Deployments>;
  readonly #projectId: ProjectId;
  readonly #filters: Filters;
  #cursor: string | null = null;
  #hasBegun = false;

  constructor(projectId: ProjectId, filters: Filters) {
    this.#projectId = projectId;
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
    const page = await this.#list(this.#cursor);
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
    const page = await this.#list(null);
    if (!page.ok) return page;
    const { deployments, next_cursor: cursor } = page.value;
    const last = deployments.at(-1);
    // Ids rise with time: what is older than the page's last one is not on it, and everything else is.
    const below =
      cursor === null || last === undefined ? [] : this.feed.value.rows.filter(({ id }) => id < last.id);
    const isContinued = this.#hasBegun && below.length > 0;
    if (!isContinued) this.#cursor = cursor;
    this.#hasBegun = true;
    const isWhole = isContinued ? this.feed.value.isWhole : cursor === null;
    this.#change({ rows: [...deployments, ...(await this.#renewed(below))], isWhole });
    return page;
  }

  /** Of older rows, those that can still change. */
  async #renewed(rows: readonly Deployment[]): Promise<Deployment[]> {
    const renewed = await Promise.all(
      rows.map(async (row) => {
        if (row.status !== "building" && row.status !== "live") return row;
        const read = await api.getDeployment({ params: { deployment_id: row.id } });
        if (!read.ok) return read.problem.status === 404 ? null : row;
        return this.#fits(read.value) ? read.value : null;
      }),
    );
    return renewed.filter((row) => row !== null);
  }

  #fits({ status }: Deployment): boolean {
    return this.#filters.status === "" || this.#filters.status === status;
  }

  #list(cursor: string | null): Promise<ClientResult<Deployments>> {
    const { status, branch } = this.#filters;
    return api.listDeployments({
      query: {
        project_id: this.#projectId,
        limit: PAGE_SIZE,
        ...(status === "" ? {} : { status }),
        ...(branch === "" ? {} : { branch }),
        ...(cursor === null ? {} : { cursor }),
      },
    });
  }

  #change(changes: Partial<Feed>): void {
    this.feed.set({ ...this.feed.value, ...changes });
  }
}

/** Older rows below newer ones: a row may have come twice while the list was read. */
function joined(rows: readonly Deployment[], older: readonly Deployment[]): Deployment[] {
  const last = rows.at(-1);
  return [...rows, ...older.filter(({ id }) => last === undefined || id < last.id)];
}
