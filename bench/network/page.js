// Run inside a browser page by bench/network.js, so no function may use anything outside itself.

/** Receives what `offer` offers. @returns the answer; `globalThis.peers[name]` is the connection */
export async function receive({ name, offer }) {
  const peer = new RTCPeerConnection();
  globalThis.peers = { ...globalThis.peers, [name]: peer };
  peer.ontrack = ({ track, streams: [stream] }) => {
    const element = document.createElement(track.kind);
    element.autoplay = true;
    element.srcObject = new MediaStream([track]);
    document.body.append(element);
    globalThis.media = { ...globalThis.media, [name]: stream };
  };
  await peer.setRemoteDescription({ type: 'offer', sdp: offer });
  await peer.setLocalDescription();
  return peer.localDescription.sdp;
}

/** Offers what the connection `from` receives, encoded again by the browser as LiveKit's client does: VP8, Opus with RED. @returns the offer with all candidates */
export async function offerAgain({ name, from, maxBits }) {
  const peer = new RTCPeerConnection();
  globalThis.peers[name] = peer;
  for (const { track } of globalThis.peers[from].getReceivers()) {
    const direction = 'sendonly';
    const isVideo = track.kind === 'video';
    const sendEncodings = isVideo ? [{ maxBitrate: maxBits }] : [{}];
    const transceiver = peer.addTransceiver(track, { direction, sendEncodings });
    const codecs = RTCRtpSender.getCapabilities(track.kind).codecs;
    const first = isVideo ? ['video/VP8', 'video/rtx'] : ['audio/red', 'audio/opus'];
    transceiver.setCodecPreferences(
      first.flatMap((type) => codecs.filter(({ mimeType }) => mimeType.toLowerCase() === type.toLowerCase())),
    );
  }
  await peer.setLocalDescription();
  while (peer.iceGatheringState !== 'complete') await new Promise((resolve) => setTimeout(resolve, 20));
  return peer.localDescription.sdp;
}

/** Takes the answer to {@link offerAgain}. */
export async function takeAnswer({ name, sdp }) {
  await globalThis.peers[name].setRemoteDescription({ type: 'answer', sdp });
}

/** Counters of a receiving connection. */
export async function readCounts(name) {
  const out = { state: globalThis.peers[name].connectionState };
  for (const report of (await globalThis.peers[name].getStats()).values()) {
    if (report.type === 'inbound-rtp') out[report.kind] = report;
  }
  return JSON.parse(JSON.stringify(out));
}

/** Closes connections and what shows them. */
export function closePeers(names) {
  for (const name of names) globalThis.peers[name]?.close();
  for (const element of [...document.body.children]) element.remove();
}
