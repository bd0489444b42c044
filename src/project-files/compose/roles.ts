import type { Service, ServiceBuild } from "#project-files/compose/read-service.ts";
import { parseRepository } from "#contract/addresses/repository-address.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { Dockerfile } from "#contract/endpoints/projects/settings.ts";

/** The image that services are built into. Paths are relative to the root directory of the project. */
export type ComposeImage = {
  readonly path: string;
  readonly context: string;
  readonly target: string | null;
};

/** An image of a registry that services run. `digest`: 64 hexadecimal digits. */
export type PulledImage = {
  /** As the repository of a project, such as `docker://docker.io/library/ghost`. */
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | null;
};

/** What Gantry can do with the services of a Compose file. */
export type ComposeRoles = {
  /** The image of the project; null if no service is built from a Dockerfile in the repository. */
  readonly image: ComposeImage | null;
  /** The image that the project runs if it builds no image; null if the file has no such image. */
  readonly pulled: PulledImage | null;
  /** The services with one of these, the first of which visitors reach. */
  readonly processes: readonly Service[];
  /** Services with one of these that run only with a profile, while the first one does not: their names. */
  readonly optional: readonly string[];
  /** Services that are built from something else: each is a project of its own. `from`: for people. `isHere`: its files are in the root directory. */
  readonly others: readonly { readonly name: string; readonly from: string; readonly isHere: boolean }[];
  /** Databases, which Gantry does not run. */
  readonly databases: readonly { readonly name: string; readonly image: string; readonly title: string }[];
  /** Programs that lead visitors to an app, as the ingress of a server does. */
  readonly proxies: readonly { readonly name: string; readonly image: string }[];
  /** Services with images of others, and services without an image. `pulled`: null if no project can have it as it is written. */
  readonly foreign: readonly {
    readonly name: string;
    readonly image: string | null;
    readonly pulled: PulledImage | null;
  }[];
};

/** The databases and the like, by the last part of the names of their images. */
const databases: readonly (readonly [name: RegExp, title: string])[] = [
  [/^(?:postgres|postgresql|postgis|pgvector|timescaledb(?:-ha)?)$/, "PostgreSQL"],
  [/^(?:mysql|mysql-server|percona)$/, "MySQL"],
  [/^mariadb$/, "MariaDB"],
  [/^(?:redis|redis-stack|redis-stack-server|valkey|keydb)$/, "Redis"],
  [/^(?:mongo|mongodb|mongodb-community-server)$/, "MongoDB"],
  [/^memcached$/, "Memcached"],
  [/^rabbitmq$/, "RabbitMQ"],
  [/^elasticsearch$/, "Elasticsearch"],
  [/^opensearch$/, "OpenSearch"],
  [/^clickhouse(?:-server)?$/, "ClickHouse"],
  [/^minio$/, "MinIO"],
];

/** Images that serve visitors for other services, or get certificates for them, by the last part of their names. */
const proxies =
  /^(?:nginx|nginx-unprivileged|nginx-proxy|caddy|traefik|haproxy|acme-companion|nginx-certbot|certbot)$/;
/** Names of services that only lead to others. */
const PROXY_NAME = /^(?:(?:reverse-?|nginx-?|caddy-?)?proxy|nginx|caddy|traefik|haproxy)$/i;

/** `docker.io/bitnami/postgresql:17@sha256:…` is PostgreSQL; null for other images. */
export function databaseOf(image: string): string | null {
  const name = lastPart(image);
  return databases.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

function lastPart(image: string): string {
  return (/([^/:@]+)(?::[^/@]*)?(?:@.*)?$/.exec(image)?.[1] ?? "").toLowerCase();
}

/** `ghost:6` is `docker://docker.io/library/ghost` with the tag 6; null if it has variables or is no name of an image. */
export function pulledImage(image: string): PulledImage | null {
  // The colon of a port is before a slash.
  const [, name = "", tag, digest] =
    /^([a-z0-9][^@\s$:]*(?::\d+\/[^@\s$:]*)?)(?::(\w[\w.-]{0,127}))?(?:@sha256:([0-9a-f]{64}))?$/.exec(
      image,
    ) ?? [];
  const [host = "", ...path] = name.split("/");
  const hasHost = path.length > 0 && /[.:]|^localhost$/.test(host);
  const full = hasHost ? name : `docker.io/${path.length === 0 ? "library/" : ""}${name}`;
  const parsed = parseRepository(`docker://${full}`);
  return !parsed.ok || parsed.value.kind !== "docker"
    ? null
    : { repository: parsed.value.text, tag: tag ?? "latest", digest: digest ?? null };
}

/**
 * Decides which services are processes of one project.
 * @param folder the folder of the Compose file, relative to the root directory of the project; empty: the root directory
 */
export function rolesOf(services: readonly Service[], folder: string): ComposeRoles {
  const images = new Map(
    services.map((service) => [service, service.build === null ? null : imageOf(service.build, folder)]),
  );
  const built = services.filter((service) => (images.get(service) ?? null) !== null);
  const runnable = services.filter(
    ({ build, image }) =>
      build === null &&
      image !== null &&
      databaseOf(image) === null &&
      !proxies.test(lastPart(image)) &&
      pulledImage(image) !== null,
  );
  const isUsual = ({ hasProfile }: Service) => !hasProfile;
  const buildsNothing = services.every(({ build, hasProfile }) => build === null || hasProfile);
  const web =
    webOf(built.filter(isUsual)) ??
    (buildsNothing ? webOf(runnable.filter(isUsual)) : null) ??
    webOf(built) ??
    (buildsNothing ? webOf(runnable) : null);
  const image = web === null ? null : (images.get(web) ?? null);
  const isSame = (service: Service) => {
    if (web === null) return false;
    // One service builds the image, and others name it.
    if (service.build === null) return service.image !== null && service.image === web.image;
    return keyOf(images.get(service) ?? null) === keyOf(image);
  };
  const same = services.filter((service) => service !== web && isSame(service));
  const optional = web?.hasProfile === false ? same.filter(({ hasProfile }) => hasProfile) : [];
  const rest = services.filter((service) => service !== web && !same.includes(service));
  const others = rest.filter(({ build }) => build === null);
  return {
    image,
    pulled: web === null || image !== null ? null : pulledImage(web.image ?? ""),
    processes: web === null ? [] : [web, ...same.filter((service) => !optional.includes(service))],
    optional: optional.map(({ name }) => name),
    others: rest.flatMap((service) => {
      const { name, build } = service;
      const isHere = (images.get(service) ?? null) !== null;
      return build === null ? [] : [{ name, from: sourceOf(build), isHere }];
    }),
    databases: others.flatMap(({ name, image: one }) => {
      const title = one === null ? null : databaseOf(one);
      return title === null || one === null ? [] : [{ name, image: one, title }];
    }),
    proxies: others.flatMap(({ name, image: one }) =>
      one !== null && proxies.test(lastPart(one)) ? [{ name, image: one }] : [],
    ),
    foreign: others.flatMap(({ name, image: one }) =>
      one === null || (databaseOf(one) === null && !proxies.test(lastPart(one)))
        ? [{ name, image: one, pulled: one === null ? null : pulledImage(one) }]
        : [],
    ),
  };
}

/** The service that visitors reach; null if there is none. */
function webOf(services: readonly Service[]): Service | null {
  const all = [...services].toSorted((one, other) => Number(isBehind(one)) - Number(isBehind(other)));
  return (
    all.find(({ name }) => name === WEB) ??
    all.find(({ name }) => name === "app") ??
    all.find(({ name, ports }) => ports.length > 0 && /[-_]web$/.test(name)) ??
    all.find(({ ports }) => ports.length > 0) ??
    all[0] ??
    null
  );
}

/** Whether a service only leads to others, or works for them, by its name. */
function isBehind({ name }: Service): boolean {
  return PROXY_NAME.test(name) || /worker|sidekiq|celery|cron|scheduler|queue|migrat/i.test(name);
}

function keyOf(image: ComposeImage | null): string {
  return image === null ? "" : JSON.stringify([image.path, image.context, image.target]);
}

function sourceOf({ context, dockerfile, target }: ServiceBuild): string {
  const file = dockerfile ?? "the Compose file itself";
  const place = context === "." ? file : `${file} in ${context}`;
  return target === null ? place : `${place}, stage ${target}`;
}

/** Null: its Dockerfile or its files are not in the root directory of the project, or have names that a project cannot have. */
function imageOf({ context, dockerfile, target }: ServiceBuild, folder: string): ComposeImage | null {
  if (dockerfile === null) return null;
  const inside = pathInside(folder, context);
  // The path of a Dockerfile is relative to the context.
  const path = inside === null ? null : pathInside(inside, dockerfile);
  const image = Dockerfile.safeParse({ path, context: inside || ".", target: target ?? undefined });
  return inside === null || path === null || !image.success
    ? null
    : { path: image.data.path, context: image.data.context, target };
}

/** A path in the root directory, relative to one of its folders; null if it leads elsewhere, or is an address or a variable. */
function pathInside(folder: string, path: string): string | null {
  if (/^[/~]|[:$\\]/.test(path)) return null;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split("/"))
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "" && part !== ".") parts.push(part);
  return parts.join("/");
}
