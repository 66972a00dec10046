"""The stage `share`: accuracy of shared trees and of global models, and speed.

datasets   Adult, Nursery, Car, CMC and mushroom with declared domains
"""
