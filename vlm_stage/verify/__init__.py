"""Whether a converted model, on a device of this machine, computes what it should.

A process of its own, `python -m vlm_stage.verify`; `arcscribe models verify` starts it.
"""
