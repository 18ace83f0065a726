"""Client of sqlenv, a text-to-SQL environment server. `sqlenv.verl` connects it to verl, `sqlenv.server` starts one."""

from sqlenv.client import Client
from sqlenv.episode import Episode
from sqlenv.errors import ErrorReason, SqlEnvError
from sqlenv.retry import Timing
from sqlenv.sync import SyncClient, SyncEpisode
from sqlenv.transport import close_connections

__version__ = "0.1.0"

__all__ = [
    "Client",
    "Episode",
    "ErrorReason",
    "SqlEnvError",
    "SyncClient",
    "SyncEpisode",
    "Timing",
    "__version__",
    "close_connections",
]
