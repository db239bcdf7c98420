# A client of trilane-flows' QUIC flows that shares no code with it: aioquic (pip install aioquic).
#
#     python3 quic_flow_client.py ADDRESS PORT SECONDS
#
# asks the far end for a flow downwards and reads it for so long. Prints a line of JSON: the bytes of the stream that the
# application had at each tenth of a second since the connection stood. Judges nothing.
import asyncio
import json
import ssl
import sys
import time

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived

TICK_S = 0.1
WINDOW_BYTES = 64 << 20
REQUEST = bytes([0]) + b"\xff" * 8  # downwards; no size


class Reader(QuicConnectionProtocol):
    received = 0

    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived):
            self.received += len(event.data)


async def main(address, port, seconds):
    configuration = QuicConfiguration(
        is_client=True,
        alpn_protocols=["trilane-flow"],
        verify_mode=ssl.CERT_NONE,
        server_name="far.trilane",
        max_data=WINDOW_BYTES,
        max_stream_data=WINDOW_BYTES,
    )
    async with connect(address, port, configuration=configuration, create_protocol=Reader) as client:
        began = time.monotonic()
        client._quic.send_stream_data(client._quic.get_next_available_stream_id(), REQUEST)
        client.transmit()
        ticks = []
        for tick in range(1, round(seconds / TICK_S) + 1):
            await asyncio.sleep(max(0, began + tick * TICK_S - time.monotonic()))
            ticks.append([time.monotonic() - began, client.received])
        print(json.dumps({"ticks": ticks}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
