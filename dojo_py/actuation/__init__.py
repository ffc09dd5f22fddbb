"""Actuators: what they pull on, how they become active, which force they give. Shared by both modes."""
