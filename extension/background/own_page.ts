// Whose messages the service worker does: those of the extension's own pages. Pure.

/**
 * A content script, of which there are none, or a frame of a page in one of ours would have the extension's id too, but another
 * origin: only a document of the extension has its origin.
 */
export function isOwnPage(
  sender: { readonly id?: string | undefined; readonly origin?: string | undefined },
  own: { readonly id: string; readonly origin: string },
): boolean {
  return sender.id === own.id && sender.origin === own.origin;
}
