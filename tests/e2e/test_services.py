"""Health and reflection of the three processes, with grpcio's own clients."""

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from arcscribe.tools.local_service import LocalService

SERVICES = {
    "layout_stage": "arcscribe.v1.LayoutAnalyzer",
    "vlm_stage": "arcscribe.v1.RegionRecognizer",
    "orchestrator": "arcscribe.v1.DocumentParser",
}


@pytest.mark.parametrize(("package", "name"), SERVICES.items())
def test_each_process_says_serving_for_itself_and_for_its_service(
    service: LocalService, package: str, name: str
) -> None:
    with grpc.insecure_channel(service.stages[package].command.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for asked in ("", name):
            answer = health.Check(health_pb2.HealthCheckRequest(service=asked), timeout=5)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize("package", SERVICES)
def test_health_of_a_service_that_is_not_there_is_not_found(service: LocalService, package: str) -> None:
    with grpc.insecure_channel(service.stages[package].command.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            health.Check(health_pb2.HealthCheckRequest(service="nothing"), timeout=5)
    assert isinstance(caught.value, grpc.Call)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize(("package", "name"), SERVICES.items())
def test_reflection_lists_the_service_and_describes_its_methods(
    service: LocalService, package: str, name: str
) -> None:
    with grpc.insecure_channel(service.stages[package].command.address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        assert name in database.get_services()
        file = database.FindFileContainingSymbol(name)
        described = {service.name: service for service in file.service}
        assert described[name.rpartition(".")[2]].method
