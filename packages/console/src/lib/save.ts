/** Downloads a file in the browser. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the content once the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
