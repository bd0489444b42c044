import { SharedPath } from "#contract/git-names.ts";
import type { Service, ServiceVolume } from "#project-files/compose/read-service.ts";
import type { Untaken } from "#project-files/compose/untaken.ts";

/** The shared paths for the volumes of services, and the volumes that are not taken. */
export type SharedVolumes = { readonly paths: readonly string[]; readonly untaken: readonly Untaken[] };

/**
 * Shared paths are in the folder in which the program of an image starts.
 * @param workdir that folder; null if it is unknown
 * @param isCommitted whether a path, as a service writes it, has files of the repository
 */
export function sharedVolumes(
  services: readonly Service[],
  workdir: string | null,
  isCommitted: (source: string) => boolean,
): SharedVolumes {
  const paths = new Set<string>();
  const untaken = new Map<string, Untaken>();
  for (const { name, volumes } of services)
    for (const volume of volumes) {
      const placed = placeOf(volume, workdir, isCommitted);
      if (placed.path !== null) paths.add(placed.path);
      else {
        const what = `the volume ${volume.target}`;
        const before = untaken.get(what)?.services ?? [];
        untaken.set(what, { what, services: [...new Set([...before, name])], advice: placed.why });
      }
    }
  // A shared path cannot be inside another one, which has its files anyway.
  const all = [...paths];
  const outer = all.filter((path) => !all.some((one) => path.startsWith(`${one}/`)));
  return { paths: outer, untaken: [...untaken.values()] };
}

/** Whether a source is a path, and not the name of a volume. */
export function isBound(source: string | null): source is string {
  return source !== null && /^[./~]/.test(source);
}

type Placed = { readonly path: string } | { readonly path: null; readonly why: string };

function placeOf(
  { source, target, isReadOnly }: ServiceVolume,
  workdir: string | null,
  isCommitted: (source: string) => boolean,
): Placed {
  const no = (why: string): Placed => ({ path: null, why });
  if (/docker\.sock|podman\.sock/.test(`${source ?? ""} ${target}`))
    return no("containers do not control the server's containers");
  if (source === null) return no("it has no name, so it is empty after each start anyway");
  if (isBound(source) && isCommitted(source))
    return no("it has files of the repository, of which the image has a copy: COPY them in the Dockerfile");
  if (isReadOnly) return no("it is read-only: COPY its files into the image");
  if (workdir === null)
    return no(
      "a shared path is relative to the folder in which the app runs (WORKDIR), and only the image says which one: if it is a parent of this one, use gantry projects set --shared-path",
    );
  const folder = target.replace(/\/+$/, "");
  if (folder === workdir)
    return no("it puts the source code into the container, as in development: the image has a copy");
  const path = folder.startsWith(`${workdir === "/" ? "" : workdir}/`)
    ? folder.slice(workdir.length).replace(/^\/+/, "")
    : "";
  if (!SharedPath.safeParse(path).success)
    return no(
      `it is not in ${workdir}, where the app runs: copy the file in the Dockerfile, or let the app write below ${workdir}`,
    );
  return { path };
}
