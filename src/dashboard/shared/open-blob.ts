/** Long enough for the browser to open or save the file. */
const URL_LIFETIME_MS = 60_000;

/** Calls a function with the address of a file that the page has made. */
export function openBlob(blob: Blob, use: (url: string) => void): void {
  const url = URL.createObjectURL(blob);
  use(url);
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}

/** Has the browser save a file. */
export function saveBlob(blob: Blob, name: string): void {
  openBlob(blob, (url) => {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  });
}
