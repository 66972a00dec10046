"""The schemes of the paper (basic, order, ratio, hybrid), for redoing its figures; they promise nothing. In dependency
order:

_order_kernels    the dynamic programme of the order scheme
order             the order scheme
biases            the shifts of all schemes
published_values  one value for each support
_class_kernels    one release in two passes over the itemsets
class_publisher   values by class, kept in the memory
noise_choice      which law suits which supports
"""
