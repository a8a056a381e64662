// Everything begins here.

async function start() {
  startTables();
  startCopying();
  startCharts();
  const packed = document.getElementById("data").textContent;
  if (!packed) return;
  if (typeof DecompressionStream === "undefined") {
    document.getElementById("found").textContent = "This browser is too old to unpack the instances.";
    return;
  }
  const data = await unpacked(packed);
  startTree(data);
  startInstances(data);
}

start();
