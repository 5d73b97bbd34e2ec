// Only in development: reloads the page when the server has restarted.
let isLost = false;
const server = new EventSource(new URL("../reload", document.currentScript.src));
server.onerror = () => isLost = true;
server.onopen = () => isLost && location.reload();
