// The promise around a request of IndexedDB.

/** A request's result. Rejects with its DOMException. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database gave no reason"));
  });
}
