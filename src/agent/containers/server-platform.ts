const platforms: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** The processor of this server, as images name it; null: unknown. */
export function serverPlatform(): string | null {
  return platforms[process.arch] ?? null;
}
