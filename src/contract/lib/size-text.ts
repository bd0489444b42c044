const MIB = 2 ** 20;

/**
 * A size for people, such as `68 MiB` or `1.4 GiB`. Gantry shows and takes sizes in these units everywhere, because
 * systemd's limits have them.
 */
export function sizeText(bytes: number): string {
  const mib = bytes / MIB;
  if (Math.round(mib) >= 1024) return `${(mib / 1024).toFixed(1)} GiB`;
  return `${mib < 10 ? mib.toFixed(1) : Math.round(mib)} MiB`;
}
