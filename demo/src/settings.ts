/** What the page remembers on this device. Where nothing may be kept, it forgets. */

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`bpeek.${name}`);
  } catch {
    return null;
  }
}

export function forgetSettings(): void {
  for (const name of ["limit", "colors", "table"]) remember(name, "");
}

export function remember(name: string, value: string): void {
  try {
    if (value === "") localStorage.removeItem(`bpeek.${name}`);
    else localStorage.setItem(`bpeek.${name}`, value);
  } catch {
    // Then not.
  }
}
