"""What the orchestrator shows to the processes of a stage."""

from arcscribe.rpc.credentials import Credentials, read_credentials, read_token, refuse_to_tell
from orchestrator.stages.stage_settings import StageSettings


def stage_credentials(settings: StageSettings) -> Credentials:
    """What the files of its settings hold now.

    Raises:
        InvalidConfig: one cannot be used.
        InvalidOption: the token would go over a network in plain text.
    """
    token = read_token(settings.token_file) if settings.token_file else ""
    credentials = read_credentials(settings.tls, token)
    if not settings.token_without_tls:
        for address in settings.addresses:
            refuse_to_tell(address, credentials)
    return credentials
