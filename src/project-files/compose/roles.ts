import type { Service, ServiceBuild } from "#project-files/compose/read-service.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { Dockerfile } from "#contract/endpoints/projects/settings.ts";

/** The image that services are built into. Paths are relative to the root directory of the project. */
export type ComposeImage = {
  readonly path: string;
  readonly context: string;
  readonly target: string | null;
};

/** What Gantry can do with the services of a Compose file. */
export type ComposeRoles = {
  /** The image of the project; null if no service is built from a Dockerfile in the repository. */
  readonly image: ComposeImage | null;
  /** The services with this image, the first of which visitors reach. */
  readonly processes: readonly Service[];
  /** Services that are built from something else: each is a project of its own. `from`: for people. */
  readonly others: readonly { readonly name: string; readonly from: string }[];
  /** Databases, which Gantry does not run. */
  readonly databases: readonly { readonly name: string; readonly image: string; readonly title: string }[];
  /** Services with images of others, and services without an image. */
  readonly foreign: readonly { readonly name: string; readonly image: string | null }[];
};

/** The databases, by the last part of the names of their images. */
const databases: readonly (readonly [name: RegExp, title: string])[] = [
  [/^(?:postgres|postgresql|postgis|pgvector|timescaledb(?:-ha)?)$/, "PostgreSQL"],
  [/^(?:mysql|mysql-server|percona)$/, "MySQL"],
  [/^mariadb$/, "MariaDB"],
  [/^(?:redis|redis-stack|redis-stack-server|valkey|keydb)$/, "Redis"],
  [/^(?:mongo|mongodb|mongodb-community-server)$/, "MongoDB"],
];

/** `docker.io/bitnami/postgresql:17@sha256:…` is PostgreSQL; null for other images. */
export function databaseOf(image: string): string | null {
  const name = /([^/:@]+)(?::[^/@]*)?(?:@.*)?$/.exec(image)?.[1] ?? "";
  return databases.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] ?? null;
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
  const web =
    built.find(({ name }) => name === WEB) ??
    built.find(({ name }) => name === "app") ??
    built.find(({ ports }) => ports.length > 0) ??
    built[0];
  const image = web === undefined ? null : (images.get(web) ?? null);
  const isSame = (service: Service) => {
    if (web === undefined) return false;
    // One service builds the image, and others name it.
    if (service.build === null) return service.image !== null && service.image === web.image;
    return keyOf(images.get(service) ?? null) === keyOf(image);
  };
  const same = services.filter((service) => service !== web && isSame(service));
  const rest = services.filter((service) => service !== web && !same.includes(service));
  return {
    image,
    processes: web === undefined ? [] : [web, ...same],
    others: rest.flatMap(({ name, build }) => (build === null ? [] : [{ name, from: sourceOf(build) }])),
    databases: rest.flatMap(({ name, build, image: one }) => {
      const title = build === null && one !== null ? databaseOf(one) : null;
      return title === null || one === null ? [] : [{ name, image: one, title }];
    }),
    foreign: rest.flatMap(({ name, build, image: one }) =>
      build === null && (one === null || databaseOf(one) === null) ? [{ name, image: one }] : [],
    ),
  };
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
