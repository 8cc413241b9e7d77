"""The frozen description of a machine: bodies, joints, frames, motors, wrenches and parameters. No equations here."""
